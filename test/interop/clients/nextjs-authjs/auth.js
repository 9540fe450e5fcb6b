import NextAuth from 'next-auth';

export const { handlers, auth, signIn, signOut } = NextAuth({
  providers: [
    {
      id: 'identity',
      name: 'Identity',
      type: 'oidc',
      issuer: process.env.ISSUER,
      clientId: process.env.CLIENT_ID,
      clientSecret: process.env.CLIENT_SECRET,
    },
  ],
  callbacks: {
    // the ID token is needed to sign out of the service as well
    jwt: ({ token, account }) => (account ? { ...token, idToken: account.id_token } : token),
    session: ({ session, token }) => ({ ...session, sub: token.sub, idToken: token.idToken }),
  },
});
