/** Loaded before the console: its clock is ahead by the seconds that a file names. */
import { readFileSync } from 'node:fs';

const realNow = Date.now;
const file = process.env.TEST_CLOCK_FILE;
Date.now = () => realNow() + Number(readFileSync(file, 'utf8')) * 1000;
