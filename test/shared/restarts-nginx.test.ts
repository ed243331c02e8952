import { describeRestarts } from './restarts-suite.ts';

// Of what goes to a proxy, maps cost nothing: it is repeated. A console that is killed has requests that may not be.
describeRestarts('nginx', { ofRestart: /^poll/, ofKill: /^(?:poll|machine token|tokens at once)/ });
