/* inherited.h - inherited state that lmp must change for itself and restore for the programs it
 * starts: standard streams that are closed, signals that are ignored. */
#ifndef LMP_INHERITED_H
#define LMP_INHERITED_H

/* Call first in main(). */
void inherited_take(void);
/* Call in a child, before exec. */
void inherited_give_back(void);

#endif
