import { redirect } from 'next/navigation';
import { auth, signIn, signOut } from '../auth.js';

async function enter() {
  'use server';
  await signIn('identity');
}

async function leave() {
  'use server';
  const session = await auth();
  await signOut({ redirect: false });
  const url = new URL(`${process.env.ISSUER}/oidc/v1/end_session`);
  url.searchParams.set('id_token_hint', session.idToken);
  url.searchParams.set('post_logout_redirect_uri', process.env.AUTH_URL);
  redirect(url.href);
}

export default async function Page() {
  const session = await auth();
  if (!session) {
    return (
      <form action={enter}>
        <button>Sign in</button>
      </form>
    );
  }
  return (
    <>
      <h1>Hello, {session.user.name}</h1>
      <p>{session.user.email}</p>
      <form action={leave}>
        <button>Sign out</button>
      </form>
    </>
  );
}
