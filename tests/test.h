/* test.h: what every unit test includes. */
#ifndef TH_TEST_H
#define TH_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <thresh.h>

#endif
