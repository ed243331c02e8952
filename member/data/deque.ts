/** A first-in-first-out list that also takes back what was taken last. */
export interface Deque<T> {
  readonly size: number;
  push(item: T): void;
  shift(): T | undefined;
  /** Puts `item` in front of all others. */
  unshift(item: T): void;
  /** As they are now, in order. */
  all(): T[];
}

/** Taking is constant in time on average, however long the list is (an array's `shift` is not). */
export function createDeque<T>(): Deque<T> {
  let items: (T | undefined)[] = [];
  let head = 0;

  return {
    get size() {
      return items.length - head;
    },
    all: () => items.slice(head) as T[],
    push(item) {
      items.push(item);
    },
    shift() {
      const item = items[head];
      if (head === items.length) return undefined;
      items[head] = undefined;
      head += 1;
      if (head > 1024 && head * 2 > items.length) {
        items = items.slice(head);
        head = 0;
      }
      return item;
    },
    unshift(item) {
      if (head === 0) {
        items.unshift(item);
        return;
      }
      head -= 1;
      items[head] = item;
    },
  };
}
