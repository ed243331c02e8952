/** One concept, one word: what stands on the left is no part of a name any more, what stands on the right is said instead. */
export const retired: Readonly<Record<string, string>> = {
  lane: 'fast path',
  news: 'revocation event, revocation stream, revocation cache',
  'token view': 'revocation cache',
  'console link': 'control-plane client',
  'console login': 'service token',
  'granted rule': 'authorize call',
  'pinned target': 'member target',
  'read pin': 'member target',
  'for all': 'broadcast',
  admission: 'rate limit',
  'calls under way': 'in-flight calls',
  'our credential': 'configured credentials',
  'credential watch': 'credentials monitor',
  'member watch': 'health checker',
  'first look': 'first probe',
  'call in turn': 'serialize pipelined requests',
  'fill position': 'positional body',
  'split position': 'positional body',
  'take position': 'positional body',
};

/** Names that users, files or other people's programs know: they stay. */
export const kept: Readonly<Record<string, string>> = {
  proxyNewsGraceSeconds: 'the setting CONSOLE_PROXY_NEWS_GRACE',
};
