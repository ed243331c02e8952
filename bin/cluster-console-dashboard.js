#!/usr/bin/env node
// `npx cluster-console-dashboard`: the reference dashboard.
import { run } from './run.js';

await run('dashboard/main.js');
