import { describeRestarts } from './restarts-suite.ts';

// Whatever has been sent is not repeated, and everything else is.
describeRestarts('Traefik', { ofRestart: /^$/, ofKill: /./ });
