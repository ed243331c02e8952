import { describeRestarts } from './restarts-suite.ts';

const post = 'machine token|tokens at once';
// Of what goes to a proxy, maps cost nothing: it is repeated. A POST is not, which a console loses that is killed, and one of
// which nginx opens the connection in the moment in which the console's port closes (docs/front.md).
const mayFail = new RegExp(`^(?:poll|${post})`);
describeRestarts('nginx', { ofRestart: mayFail, ofKill: mayFail });
