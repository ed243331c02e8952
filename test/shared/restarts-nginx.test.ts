import { describeRestarts } from './restarts-suite.ts';

const post = 'machine token|tokens at once';
// Of what goes to a proxy, maps cost nothing: it is repeated. A POST is not: a console that is killed loses those that it has, and
// one that is restarted the one whose connection comes in the moment in which its port closes (docs/front.md).
describeRestarts('nginx', {
  ofRestart: /^poll/,
  onceAtRestart: new RegExp(`^(?:${post})`),
  ofKill: new RegExp(`^(?:poll|${post})`),
});
