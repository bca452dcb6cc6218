#pragma once
#include <Darwin.h>

// Source: Libc, include/time.h
#define CLOCK_REALTIME _CLOCK_REALTIME
#define CLOCK_MONOTONIC _CLOCK_MONOTONIC
