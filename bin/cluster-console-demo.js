#!/usr/bin/env node
// `npx cluster-console-demo`: console, member and dashboard together, to look at.
import { run } from './run.js';

await run('dashboard/demo.js');
