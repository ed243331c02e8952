// A page that signs in by itself and stays signed in by a hidden frame, as the library's documentation says.
const { UserManager, WebStorageStateStore } = globalThis.oidc;
const { authority, clientId } = await (await fetch('/settings.json')).json();
const { origin } = globalThis.location;

/** Whoever keeps no refresh token has the library renew by the frame. */
class StoreWithoutRefreshTokens extends WebStorageStateStore {
  set(key, value) {
    const { refresh_token, ...rest } = JSON.parse(value);
    return super.set(key, JSON.stringify(rest));
  }
}

const manager = new UserManager({
  authority,
  client_id: clientId,
  redirect_uri: `${origin}/`,
  silent_redirect_uri: `${origin}/silent-refresh.html`,
  scope: 'openid profile',
  automaticSilentRenew: true,
  // The shortest token of the console lives for 30 seconds, and the library would begin 60 before the end.
  accessTokenExpiringNotificationTimeInSeconds: 10,
  userStore: new StoreWithoutRefreshTokens({ store: globalThis.sessionStorage }),
});
globalThis.manager = manager;

manager.events.addUserLoaded((user) => show(user));
manager.events.addSilentRenewError(async ({ error }) => {
  await manager.removeUser();
  show(null, error);
});
document.querySelector('button').addEventListener('click', () => manager.signinRedirect());

if (new URLSearchParams(globalThis.location.search).has('code')) {
  await manager.signinCallback();
  globalThis.history.replaceState(null, '', '/');
} else {
  show(await manager.getUser());
}

function show(user, why = '') {
  document.querySelector('h1').textContent = user
    ? `Signed in as ${user.profile.preferred_username}`
    : `Signed out ${why}`;
}
