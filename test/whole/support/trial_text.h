/* trial_text.h - the command line that does the same as a trial. */
#ifndef TEST_TRIAL_TEXT_H
#define TEST_TRIAL_TEXT_H

#include "whole/support/trial.h"

/* What no flag can express follows a '#'. */
void trial_text(const trial *t, char *to, size_t bytes);

#endif
