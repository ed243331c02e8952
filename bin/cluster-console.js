#!/usr/bin/env node
// `npx cluster-console`: the console itself.
import { run } from './run.js';

await run('console/main.js');
