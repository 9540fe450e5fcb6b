import { afterAll, beforeAll, describe, it } from 'vitest';
import { applicationFile } from './support/application-file.js';
import { fetchOnce, type Pins } from './support/fetch-once.js';
import { type Client, runClient } from './support/run-client.js';
import { Stage } from './support/stage.js';

interface PythonClient extends Omit<Client, 'application' | 'argv'> {
  /** Folder in `test/interop/clients`. */
  readonly folder: string;
  readonly argv: readonly [string, ...string[]];
}

const PYTHON = 'venv/bin/python';
/** As Django's documentation runs it, on the port that the program was given. */
const DJANGO = ['sh', '-c', 'exec "$0" manage.py runserver --noreload "localhost:$PORT"', PYTHON] as const;

const CLIENTS: readonly PythonClient[] = [
  {
    client: 'Authlib (Flask)',
    version: '1.9.9',
    folder: 'authlib',
    argv: [PYTHON, 'app.py'],
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

/** An environment of its own, with what the client's requirements name; Django's database is made with it. */
function pinsOf(folder: string): Pins {
  const migrate = [PYTHON, 'manage.py', 'migrate', '--verbosity=0'] as const;
  return {
    files: ['requirements.txt'],
    install: [
      ['python3', '-m', 'venv', 'venv'],
      [PYTHON, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', 'requirements.txt'],
      ...(folder === 'authlib' ? [] : [migrate]),
    ],
    // Django's settings want them; the database is the same for all.
    environment: { ISSUER: 'http://localhost', CLIENT_ID: '-', CLIENT_SECRET: '-' },
  };
}

describe('clients written in Python, on a default application', () => {
  let stage: Stage;
  let api: { clientId: string; clientSecret: string };
  beforeAll(async () => {
    stage = await Stage.build();
    api = await stage.manage(`projects/${stage.world.projectId}/apps/api`, { name: 'My API' });
  });
  afterAll(() => stage.close());

  it.each(CLIENTS)('$client', async ({ folder, argv, ...client }) => {
    const cwd = await fetchOnce(folder, pinsOf(folder));
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
