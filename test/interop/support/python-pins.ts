import type { Pins } from './fetch-once.js';

export const VENV_PYTHON = 'venv/bin/python';

/** A virtual environment of its own, with what the client's requirements name; then what the client wants done once. */
export function pythonPins(...first: Pins['install']): Pins {
  return {
    files: ['requirements.txt'],
    install: [
      ['python3', '-m', 'venv', 'venv'],
      [
        VENV_PYTHON,
        '-m',
        'pip',
        'install',
        '--quiet',
        '--disable-pip-version-check',
        '-r',
        'requirements.txt',
      ],
      ...first,
    ],
    // Django's settings want them even to make the database.
    environment: { ISSUER: 'http://localhost', CLIENT_ID: '-', CLIENT_SECRET: '-' },
  };
}
