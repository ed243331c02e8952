import { describeFront } from './front-suite.ts';

describeFront('Traefik');
