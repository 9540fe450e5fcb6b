/* global oidc */
// oidc-client-ts with its defaults: code with PKCE, no secret, no refresh token, and renewal by a hidden frame.
const { issuer, client } = document.body.dataset;
const users = new oidc.UserManager({
  authority: issuer,
  client_id: client,
  redirect_uri: `${location.origin}/`,
  post_logout_redirect_uri: `${location.origin}/`,
});
const state = document.getElementById('state');
let renewals = 0;

function show(user) {
  state.textContent = user ? `Signed in: ${user.profile.sub}; renewed ${renewals} times` : 'Signed out';
}

users.events.addUserLoaded((user) => {
  renewals += 1;
  show(user);
});
users.events.addSilentRenewError((error) => {
  state.textContent = `Renewal failed: ${error.message}`;
});

document.getElementById('sign-in').addEventListener('click', () => users.signinRedirect());
document.getElementById('sign-out').addEventListener('click', () => users.signoutRedirect());

async function start() {
  const answered = new URLSearchParams(location.search).has('state');
  // the hidden frame and the page itself come back to one address
  if (answered && window.parent !== window) return await users.signinSilentCallback();
  const user = answered ? await users.signinRedirectCallback() : await users.getUser();
  renewals = 0;
  if (answered) history.replaceState({}, '', '/');
  show(user);
}

start().catch((error) => {
  state.textContent = `Failed: ${error.message}`;
});
