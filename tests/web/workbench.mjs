// The workbench in a real browser: node workbench.mjs THRESH GENERATOR [NAME]...
import "./flows.mjs";
import "./nested_flows.mjs";
import "./point_flows.mjs";
import "./question_flows.mjs";
import "./rules_flows.mjs";
import "./chart_flows.mjs";
import "./commands.mjs";
import "./life_flows.mjs";
import "./time_flows.mjs";
import "./late_flows.mjs";
import "./lost_flows.mjs";
import "./hostile.mjs";
import "./marks.mjs";
import "./accessibility.mjs";
import { runTests } from "./harness.mjs";

const [thresh, generator, ...wanted] = process.argv.slice(2);
process.exit((await runTests(thresh, generator, wanted)) ? 1 : 0);
