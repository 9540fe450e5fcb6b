import { createRoot } from 'react-dom/client';
import { AuthProvider } from 'react-oidc-context';
import { App } from './App.jsx';

const oidc = {
  authority: import.meta.env.VITE_ISSUER,
  client_id: import.meta.env.VITE_CLIENT_ID,
  redirect_uri: `${location.origin}/`,
  post_logout_redirect_uri: `${location.origin}/`,
  scope: 'openid profile email offline_access',
  // name and e-mail address come from the userinfo endpoint
  loadUserInfo: true,
  // takes the code out of the address bar
  onSigninCallback: () => history.replaceState({}, '', location.pathname),
};

createRoot(document.getElementById('root')).render(
  <AuthProvider {...oidc}>
    <App />
  </AuthProvider>,
);
