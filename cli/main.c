#include <stdio.h>
#include <thresh.h>

int main(void)
{
    printf("thresh %s\n", th_version());
    return 0;
}
