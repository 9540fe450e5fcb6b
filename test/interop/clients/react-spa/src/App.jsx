import { useAuth } from 'react-oidc-context';

export function App() {
  const auth = useAuth();
  if (auth.isLoading) return <p>Loading …</p>;
  if (auth.error) return <p>Sign-in failed: {auth.error.message}</p>;
  if (!auth.isAuthenticated) return <button onClick={() => auth.signinRedirect()}>Sign in</button>;
  return (
    <>
      <h1>Hello, {auth.user.profile.name}</h1>
      <p>{auth.user.profile.email}</p>
      <button onClick={() => auth.signinSilent()}>Renew the token</button>
      <button onClick={() => auth.signoutRedirect()}>Sign out</button>
    </>
  );
}
