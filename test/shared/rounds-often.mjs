// Loaded before a console whose time is moved: what it does once a minute it does each half second, since an hour passes in
// less than a minute. All other timers are as they are.
const { setInterval: own } = globalThis;
globalThis.setInterval = (work, ms, ...rest) => own(work, ms === 60_000 ? 500 : ms, ...rest);
