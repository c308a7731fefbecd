/* loads.c: a program that does nothing. It is linked with the libraries that the others load. */
int main(void)
{
    return 0;
}
