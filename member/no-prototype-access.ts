/**
 * Takes away `__proto__`, by which text that became a key could reach what all objects have in common (S90): as
 * Node's `--disable-proto=delete`, however the process was started. Imported before anything else by each process of the member;
 * what stands in literals, such as `{ __proto__: null }`, is syntax and stays. Console, member and dashboard share no folder for such
 * a line, so each has its own.
 */
Reflect.deleteProperty(Object.prototype, '__proto__');
