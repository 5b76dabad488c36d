/* site_found.h - shows a site's live blocks (site_blocks.h) on its page: how large and how old they
 * are, and the first of them with their contents. */
#ifndef LMP_SITE_FOUND_H
#define LMP_SITE_FOUND_H

#include "panels/previews.h"
#include "panels/site_blocks.h"
#include "widget/flow.h"

/* Returns the lines that sizes and ages take. */
int site_found_lines(const SiteBlocks *blocks, const Model *model);
void site_found_sizes(Flow *flow, const SiteBlocks *blocks, const Model *model,
                      const LmpSiteRow *row);
/* Draws as many blocks as fit into `rows` lines; requests what the strings among them hold. */
void site_found_blocks(Flow *flow, const SiteBlocks *blocks, Previews *previews, const Model *model,
                       Ui *ui, int rows);

#endif
