/** Keeps things under numbers, and gives the numbers of those that were taken away to others. */
export class FreeList<T> {
  #things: (T | undefined)[] = [];
  #free: number[] = [];

  put(thing: T): number {
    const place = this.#free.pop() ?? this.#things.length;
    this.#things[place] = thing;
    return place;
  }

  at(place: number): T {
    return this.#things[place] as T;
  }

  take(place: number): void {
    this.#things[place] = undefined;
    this.#free.push(place);
    if (this.#free.length === this.#things.length) this.clear();
  }

  clear(): void {
    this.#things = [];
    this.#free = [];
  }
}
