/**
 * Takes away `__proto__`, by which text that became a key could reach what all objects have in common (S90): as
 * Node's `--disable-proto=delete`, however the process was started. Imported before anything else by each
 * process; what stands in literals, such as `{ __proto__: null }`, is syntax and stays.
 */
Reflect.deleteProperty(Object.prototype, '__proto__');
