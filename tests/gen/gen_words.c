/* gen_words.c: plain lists. A few entries have letters outside ASCII, apostrophes, dots,
 * ampersands. */
#include "gen_words.h"

#define LIST(name, ...)                                                                            \
    static const char *const name##_list[] = {__VA_ARGS__};                                        \
    const gen_words name = {name##_list, sizeof name##_list / sizeof *name##_list}

LIST(gen_first_names, "John", "Mary", "Anna", "David", "Maria", "Peter", "Laura", "James", "Sofia",
     "Michael", "Elena", "Thomas", "Julia", "Robert", "Carla", "Daniel", "Nina", "Paul", "Alice",
     "Martin", "Irene", "George", "Clara", "Simon", "Rosa", "Henry", "Olga", "Victor", "Emma",
     "José", "Zoë", "Frank", "Diana", "Oliver", "Chloé", "Samuel", "Ingrid", "Łukasz", "Grace",
     "Björn", "Hannah", "Ravi", "Mei", "Tariq", "Aiko", "Noah", "Fatima", "Søren", "Lucía",
     "Edward", "Yusuf", "Beatrice", "Owen", "Amélie", "Walter", "Priya", "Hugo", "Leila", "Conrad",
     "Ivana");

LIST(gen_last_names, "Smith", "Miller", "Garcia", "Brown", "Novak", "Weber", "Rossi", "Martin",
     "Lee", "Wilson", "Keller", "Moreau", "Silva", "Jensen", "Clark", "Kowalski", "Haas", "Turner",
     "Ito", "O'Brien", "Müller", "Fischer", "Lopez", "Walker", "Nguyen", "Hughes", "Petrov",
     "Santos", "Lindqvist", "Marino", "Baker", "Dubois", "Yamada", "Cohen", "Schröder", "Ali",
     "Reid", "Novotná", "Price", "Stone", "Becker", "Field", "Okafor", "Vance", "Winter", "Gallo",
     "Hartmann", "de Vries", "McKenna", "Duarte", "Holloway", "Szabó", "Bright", "Castellanos",
     "Whitfield", "Van den Berg");

LIST(gen_adjectives, "New", "Small", "Great", "Classic", "Modern", "Golden", "Silent", "Blue",
     "Deluxe", "Portable", "Digital", "Wooden", "Electric", "Compact", "Heavy", "Little", "Smart",
     "Vintage", "Royal", "Wild", "Quiet", "Northern", "Broken", "Hidden", "Red", "Original",
     "Advanced", "Pocket", "Leather", "Cordless", "Foldable", "Ceramic", "Bright", "Lost", "Secret",
     "Simple", "Complete", "Essential", "Practical", "Burning", "Frozen", "Ancient", "Double",
     "Organic", "Waterproof", "Lightweight", "Professional", "Stainless", "Wireless", "Adjustable",
     "Rustic", "Crimson");

LIST(gen_nouns, "Guide", "River", "House", "Garden", "Mountain", "Winter", "City", "Road", "Sea",
     "History", "Light", "Stories", "Kitchen", "Island", "Forest", "Music", "Letters", "Shadow",
     "Bridge", "Machine", "Summer", "Night", "Memory", "Art", "Language", "Harbour", "Dream",
     "Voyage", "Stone", "Market", "Theory", "Systems", "Design", "Science", "Journey", "Circle",
     "Station", "Window", "Algorithms", "Economy", "Orchard", "Wolf", "Crown", "Atlas", "Paradox",
     "Lantern", "Compass", "Tide", "Storm", "Archive", "Meadow", "Engine", "Mirror", "Castle",
     "Valley", "Promise");

LIST(gen_things, "Lamp", "Camera", "Chair", "Backpack", "Watch", "Headphones", "Drill", "Kettle",
     "Table", "Keyboard", "Bicycle", "Tent", "Printer", "Speaker", "Knife Set", "Jacket", "Monitor",
     "Blender", "Sofa", "Notebook", "Suitcase", "Toaster", "Router", "Guitar", "Lens", "Charger",
     "Boots", "Mixer", "Shelf", "Fan", "Heater", "Tripod", "Microphone", "Grill", "Scale", "Wallet",
     "Desk", "Projector", "Vacuum Cleaner", "Coffee Maker", "Water Bottle", "Phone Case", "Ladder",
     "Saw", "Curtain", "Rug", "Mattress", "Helmet", "Gloves", "Thermometer");

LIST(gen_streets, "Main St.", "Oak Avenue", "Park Road", "High Street", "Church Lane", "Elm St.",
     "Station Road", "Sunset Blvd.", "Mill Lane", "Lake Drive", "King's Road", "2nd Avenue",
     "Hill St.", "River Road", "Bridge St.", "Market Square", "Maple Drive", "Victoria Road",
     "Ocean Blvd.", "Cedar Court", "College Ave.", "Washington St.", "North Terrace", "Broadway",
     "5th Avenue", "Harbor Way", "Garden Row", "Adalbert Blvd.", "Orchard Close", "Pine St.");

LIST(gen_cities, "London", "New York", "Berlin", "Springfield", "Paris", "Chicago", "Boston",
     "Madrid", "Vienna", "Toronto", "Portland", "Rome", "Sydney", "New Haven", "Lisbon", "Oslo",
     "Dublin", "Austin", "Prague", "Zürich", "Seattle", "Kraków", "Lyon", "São Paulo", "Osaka",
     "Bath", "Geneva", "Tampa", "Málaga", "Ghent", "Leeds", "Venice", "Salem", "Denver", "Brno",
     "Cork", "Graz", "Köln", "Turin", "Newark", "Santa Fe", "Los Alamos", "Bristol", "Aarhus",
     "Montréal", "Perth");

LIST(gen_countries, "United States", "Germany", "France", "United Kingdom", "Italy", "Spain",
     "Canada", "Japan", "Austria", "Poland", "Portugal", "Norway", "Ireland", "Brazil",
     "Switzerland", "Denmark", "Australia", "Czech Republic", "Sweden", "Belgium", "India",
     "Mexico", "Côte d'Ivoire", "New Zealand");

LIST(gen_companies, "Acme Corp.", "Northwind Ltd", "Bluefield Books", "Harper & Sons",
     "Orion Media", "Delta Systems", "Green Leaf Foods", "Smith & Weber", "Vertex Labs",
     "Old Mill Press", "Atlas Tools", "Sunrise Travel", "Kite Software", "Pioneer Group",
     "Lighthouse Inc.", "Stonebridge", "Nova Optics", "City Press", "Marlow & Co.", "Evergreen",
     "Polar Electronics", "Red Door Films", "Fjord Design", "Hearth Home", "Quill & Ink",
     "Metro Motors", "Summit Gear", "Café Central", "Bay Area Realty", "Tilde Networks",
     "Gransson AB", "Umbrella Partners", "A. Keller GmbH", "Trattoria Da Gino");

LIST(gen_categories, "Books", "Electronics", "Home & Garden", "Sports", "Music", "Toys", "Health",
     "Travel", "Computers", "Fashion", "Food", "Kitchen", "Photography", "Outdoor", "Office", "Art",
     "Science", "Games", "Jobs", "Education", "Cars", "Pets", "Film & TV", "History", "Fiction",
     "Children", "Finance", "Events", "News", "Tools", "Beauty", "Jewellery", "Religion",
     "Politics", "Crafts", "Comics", "Hardware");

LIST(gen_small_words, "the", "of", "and", "a", "in", "to", "with", "for", "is", "on", "this",
     "that", "from", "by", "it", "very", "was", "are", "has", "more", "all", "one", "time", "made",
     "good", "first", "well", "year", "work", "people", "small", "part", "long", "every", "place",
     "little", "world", "old", "use", "house", "light", "water", "story", "quality", "design",
     "simple", "strong", "edition", "young", "family", "city", "colour", "power", "easy", "found",
     "early", "several", "detail", "clean", "paper", "history", "modern", "hand", "price", "value",
     "reader", "author", "room", "kitchen", "travel", "summer", "battery", "weight", "steel",
     "cotton", "morning", "garden", "perfect", "evening", "review", "material", "warranty",
     "original", "journey", "collection", "practical", "classic", "comfort", "delivery",
     "beautiful", "language", "research", "performance", "surprising", "condition", "remarkable",
     "lightweight", "unforgettable", "craftsmanship", "nevertheless", "availability");

LIST(gen_verbs, "Shop", "Browse", "Discover", "Compare", "Find", "Join", "Read", "Save", "Learn",
     "Contact", "Help", "Subscribe", "Download", "Watch", "Share", "Explore", "Register", "Search",
     "Support", "Visit");

LIST(gen_jobs, "Engineer", "Manager", "Developer", "Analyst", "Nurse", "Teacher", "Designer",
     "Accountant", "Consultant", "Technician", "Assistant", "Editor", "Driver", "Chef", "Architect",
     "Electrician", "Sales Agent", "Data Scientist", "Librarian", "Pharmacist", "Welder",
     "Project Lead", "Copywriter");

LIST(gen_departments, "Computer Science", "Mathematics", "Physics", "Electrical Engineering",
     "Statistics", "Applied Philosophy", "Chemistry", "Mechanical Engineering", "Economics",
     "Linguistics", "Biology", "Information Systems", "Computer Graphics Laboratory",
     "Robotics Institute", "Graduate Studies");

LIST(gen_subjects, "databases", "machine learning", "computer graphics", "operating systems",
     "robotics", "algorithms", "computer vision", "networks", "software engineering", "compilers",
     "VLSI design", "numerical analysis", "cryptography", "artificial intelligence",
     "human-computer interaction", "parallel computing", "computational geometry",
     "information retrieval", "logic", "bioinformatics");

LIST(gen_colours, "black", "white", "red", "blue", "grey", "green", "silver", "brown", "navy",
     "yellow", "dark green", "off-white", "burgundy", "orange", "natural oak", "rose gold");

LIST(gen_months, "January", "February", "March", "April", "May", "June", "July", "August",
     "September", "October", "November", "December");

LIST(gen_states, "CA", "NY", "TX", "MA", "WA", "IL", "CT", "OR", "FL", "CO", "NM", "NJ");

LIST(gen_academic_titles, "Professor", "Associate Professor", "Assistant Professor", "Lecturer",
     "Professor Emeritus", "Visiting Associate", "Adjunct Professor", "Senior Lecturer",
     "Research Fellow", "Instructor");

LIST(gen_admin_titles, "Chair", "Director", "Dean", "Assistant Director", "Head",
     "Graduate Advisor", "Executive Officer", "Associate Dean", "Coordinator", "Vice Chair");
