// An MCP server with one tool, and an agent that has never heard of it nor of its authorization server: all that the agent
// needs it learns from the server's answer 401 (MCP specification, Authorization).
import { auth } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import express from 'express';

const { ISSUER, CLIENT_ID, CLIENT_SECRET, PORT, REDIRECT_URI } = process.env;
const resource = `http://localhost:${PORT}/mcp`;
const app = express();
app.use(express.json());

// the MCP server -------------------------------------------------------------------------------------------------

app.get('/.well-known/oauth-protected-resource/mcp', (_request, response) => {
  response.json({
    resource,
    authorization_servers: [ISSUER],
    scopes_supported: ['openid', 'profile', 'email', 'offline_access'],
  });
});

const verifier = {
  async verifyAccessToken(token) {
    const pair = [CLIENT_ID, CLIENT_SECRET].map(encodeURIComponent).join(':');
    const answer = await fetch(`${ISSUER}/oauth/v2/introspect`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` },
      body: new URLSearchParams({ token }),
    });
    const claims = await answer.json();
    if (claims.active !== true) throw new InvalidTokenError('the token is not for this server');
    return {
      token,
      clientId: claims.client_id,
      scopes: claims.scope.split(' '),
      expiresAt: claims.exp,
      extra: claims,
    };
  },
};
const resourceMetadataUrl = `http://localhost:${PORT}/.well-known/oauth-protected-resource/mcp`;
app.post('/mcp', requireBearerAuth({ verifier, resourceMetadataUrl }), async (request, response) => {
  const server = new McpServer({ name: 'orders', version: '1.0.0' });
  server.registerTool('whoami', { description: 'Says who asks' }, (_extra) => {
    const { sub, email, name } = request.auth.extra;
    return { content: [{ type: 'text', text: JSON.stringify({ sub, email, name }) }] };
  });
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  await server.connect(transport);
  await transport.handleRequest(request, response, request.body);
});

// the agent ------------------------------------------------------------------------------------------------------

let registered;
let tokens;
let verifierOfPkce;
let authorizationUrl;
const agent = {
  redirectUrl: REDIRECT_URI,
  clientMetadata: {
    client_name: 'Agent of the tests',
    redirect_uris: [REDIRECT_URI],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  },
  clientInformation: () => registered,
  saveClientInformation: (information) => {
    registered = information;
  },
  tokens: () => tokens,
  saveTokens: (saved) => {
    tokens = saved;
  },
  redirectToAuthorization: (url) => {
    authorizationUrl = url;
  },
  saveCodeVerifier: (code) => {
    verifierOfPkce = code;
  },
  codeVerifier: () => verifierOfPkce,
};

async function whoami() {
  const client = new Client({ name: 'agent', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(resource), { authProvider: agent }));
  const { content } = await client.callTool({ name: 'whoami', arguments: {} });
  await client.close();
  return JSON.parse(content[0].text);
}

const answered = (handler) => async (request, response) => {
  try {
    await handler(request, response);
  } catch (error) {
    console.error(error);
    response.status(500).json({ error: String(error) });
  }
};
app.get(
  '/login',
  answered(async (_request, response) => {
    await auth(agent, { serverUrl: resource });
    response.redirect(authorizationUrl.href);
  }),
);
app.get(
  '/callback',
  answered(async (request, response) => {
    await auth(agent, { serverUrl: resource, authorizationCode: request.query.code });
    response.json({ ok: true });
  }),
);
app.get(
  '/me',
  answered(async (_request, response) =>
    response.json({ ...(await whoami()), registered: registered.client_id }),
  ),
);
app.get(
  '/refresh',
  answered(async (_request, response) => {
    const before = tokens.access_token;
    await auth(agent, { serverUrl: resource });
    const { sub } = await whoami();
    response.json({ refreshed: tokens.access_token !== before && sub !== undefined });
  }),
);
app.listen(Number(PORT), '127.0.0.1');
