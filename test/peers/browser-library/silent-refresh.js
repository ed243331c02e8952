// Inside the hidden frame: hands the answer of the console to the page around it.
const { UserManager } = globalThis.oidc;
await new UserManager({ authority: '', client_id: '', redirect_uri: '' }).signinSilentCallback();
