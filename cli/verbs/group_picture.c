/* group_picture.c - the picture of choose --group: the choice, choices within less memory, and the
 * layouts of styles. */
#include "verbs/group_picture.h"

#include "pictures/group_drawing.h"

#include <inttypes.h>

/* How often the memory is reduced, to this share of what the last choice needs. */
enum { LIMITS = 6 };
static const double reduction = 0.9;

/* Adds choices within less memory, until there are none. */
static enum code add_limited(const struct chosen_products *group, struct group_drawing *drawing,
                             struct group_point *point) {
    uint64_t memory = group->choice.memory;
    for (int i = 0; i < LIMITS; i++) {
        sct_products_choice choice;
        sct_status status =
            chosen_products_within(group, (uint64_t)(reduction * (double)memory), &choice);
        if (status == SCT_WORKSPACE)
            return CODE_DONE;
        if (status != SCT_OK)
            return report_status(status);
        memory = choice.memory;
        point[drawing->points++] = (struct group_point){NULL, choice.seconds, memory};
        sct_products_choice_clear(&choice);
    }
    return CODE_DONE;
}

enum code group_picture_draw(const struct chosen_products *group, FILE *out) {
    const struct args *args = group->args;
    char heading[160];
    struct group_point point[1 + STYLES + LIMITS] = {
        {"chosen", group->choice.seconds, group->choice.memory}};
    struct group_drawing drawing = {.heading = heading,
                                    .products = group->products,
                                    .choice = &group->choice,
                                    .points = 1,
                                    .point = point};
    snprintf(heading, sizeof heading, "%d products of %s on %" PRId64 " ranks%s%s",
             group->choice.products, sct_type_name((sct_type)args->type), args->ranks,
             group->machine ? " of " : "", group->machine ? sct_machine_name(group->machine) : "");
    for (int i = 0; i < STYLES; i++)
        if (group->style[i].products > 0)
            point[drawing.points++] = (struct group_point){
                sct_style_name((sct_style)i), group->style[i].seconds, group->style[i].memory};
    enum code code = add_limited(group, &drawing, point);
    if (code == CODE_DONE)
        group_drawing_draw(&drawing, out);
    return code;
}
