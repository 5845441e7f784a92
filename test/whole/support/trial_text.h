/* trial_text.h - a trial as the command line that does the same. */
#ifndef TEST_TRIAL_TEXT_H
#define TEST_TRIAL_TEXT_H

#include "whole/support/trial.h"

/* What the command line cannot say follows a '#'. */
void trial_text(const trial *t, char *to, size_t bytes);

#endif
