/* A small SVG writer for the pictures of topo-dump. Lengths are user units (pixels). */
#ifndef TOPO_DUMP_SVG_H
#define TOPO_DUMP_SVG_H

#include "base/text.h"

/* Opens <svg> with a white background and a readable default font; svg_end() closes it. */
void svg_begin(struct topo_text *out, double width, double height);
void svg_end(struct topo_text *out);

/* `style` is raw attribute text, e.g. "fill=\"#eee\" stroke=\"#333\"". `title`
 * (may be NULL) is shown on hovering; it is escaped. */
void svg_rect(struct topo_text *out, double x, double y, double width, double height, const char *style,
              const char *title);
void svg_line(struct topo_text *out, double x1, double y1, double x2, double y2, const char *style);
void svg_circle(struct topo_text *out, double x, double y, double radius, const char *style, const char *title);

/* `path` is the text of a path's d attribute, e.g. "M 0 0 Q 5 5 10 0". */
void svg_path(struct topo_text *out, const char *path, const char *style, const char *title);

/* `anchor` is start, middle or end; the text is escaped. */
void svg_text(struct topo_text *out, double x, double y, double size, const char *anchor, const char *style,
              const char *string);

/* How wide `string` is, on average: fonts differ, and this one is not known. */
double svg_text_width(double size, const char *string);

/* The same text, in smaller letters where it would be wider than `width`. */
void svg_text_within(struct topo_text *out, double x, double y, double size, double width, const char *anchor,
                     const char *style, const char *string);

/* Colour `index` of a palette that stays apart for colour-blind readers; repeats after 10. */
const char *svg_colour(int index);

#endif
