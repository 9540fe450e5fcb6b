import { afterAll, beforeAll, describe, it } from 'vitest';
import { applicationFile } from './support/application-file.js';
import { fetchOnce } from './support/fetch-once.js';
import { pythonPins, VENV_PYTHON } from './support/python-pins.js';
import { runClient, type Client } from './support/run-client.js';
import { Stage } from './support/stage.js';

interface PythonClient extends Omit<Client, 'application' | 'argv'> {
  /** Folder in `test/interop/clients`. */
  readonly folder: string;
  readonly argv: readonly [string, ...string[]];
}

const MIGRATE = [VENV_PYTHON, 'manage.py', 'migrate', '--verbosity=0'] as const;
/** As Django's documentation runs it, on the port that the program was given. */
const DJANGO = [
  'sh',
  '-c',
  'exec "$0" manage.py runserver --noreload "localhost:$PORT"',
  VENV_PYTHON,
] as const;

const CLIENTS: readonly PythonClient[] = [
  {
    client: 'Authlib (Flask)',
    version: '1.9.9',
    folder: 'authlib',
    argv: [VENV_PYTHON, 'app.py'],
    steps: ['sign-in', 'userinfo', 'refresh', 'introspection', 'revocation', 'logout'],
  },
  {
    client: 'mozilla-django-oidc',
    version: '5.0.2',
    folder: 'mozilla-django-oidc',
    argv: DJANGO,
    loginPath: '/me',
    steps: ['sign-in', 'logout'],
  },
  {
    client: 'django-allauth',
    version: '65.21.1',
    folder: 'django-allauth',
    argv: DJANGO,
    loginPath: '/me',
    steps: ['sign-in', 'logout'],
  },
];

describe('clients written in Python, on a default application', () => {
  let stage: Stage;
  let api: { clientId: string; clientSecret: string };
  beforeAll(async () => {
    stage = await Stage.build();
    api = await stage.manage(`projects/${stage.world.projectId}/apps/api`, { name: 'My API' });
  });
  afterAll(() => stage.close());

  it.each(CLIENTS)('$client', async ({ folder, argv, ...client }) => {
    const cwd = await fetchOnce(folder, argv === DJANGO ? pythonPins(MIGRATE) : pythonPins());
    await runClient(
      stage,
      {
        ...client,
        application: applicationFile(folder),
        argv,
        environment: { API_CLIENT_ID: api.clientId, API_CLIENT_SECRET: api.clientSecret },
      },
      cwd,
    );
  });
});
