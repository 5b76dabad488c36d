/* order.h - comparisons for qsort, of rows by two of their fields. Each defines the function. */
#ifndef LMP_ORDER_H
#define LMP_ORDER_H

/* The largest `first` comes first, of those alike the smallest `then`. */
#define ORDER_LARGEST(name, Row, first, then)                                                      \
    static int name(const void *a, const void *b) {                                                \
        const Row *x = a, *y = b;                                                                  \
        if (x->first != y->first) return x->first < y->first ? 1 : -1;                             \
        return (x->then > y->then) - (x->then < y->then);                                          \
    }

/* The smallest `first` comes first, of those alike the smallest `then`. */
#define ORDER_SMALLEST(name, Row, first, then)                                                     \
    static int name(const void *a, const void *b) {                                                \
        const Row *x = a, *y = b;                                                                  \
        if (x->first != y->first) return x->first < y->first ? -1 : 1;                             \
        return (x->then > y->then) - (x->then < y->then);                                          \
    }

#endif
