/** One concept, one word: what stands on the left is no part of a name any more, what stands on the right is said instead. */
export const retired: Readonly<Record<string, string>> = {
  lane: 'fast path',
  news: 'revocation event, revocation stream, revocation cache',
  'token view': 'revocation cache',
  'console link': 'control-plane client',
  'console login': 'service token',
};

/** Names that users, files or other people's programs know: they stay. */
export const kept: Readonly<Record<string, string>> = {
  proxyNewsGraceSeconds: 'the setting CONSOLE_PROXY_NEWS_GRACE',
};
