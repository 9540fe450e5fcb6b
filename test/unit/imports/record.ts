/** A complete record of the import call; tests change one thing of it. */
export function minimalRecord(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    userName: 'anna',
    profile: { firstName: 'Anna', lastName: 'Muster' },
    email: { email: 'anna@example.ch', isEmailVerified: true },
    ...changes,
  };
}

export const PBKDF2 =
  '$pbkdf2-sha256$27500$cmFuZG9tc2FsdGlzaGFyZA$OFvEcLOIPFd/oq8egf10i.qJLI7A8nDjPLnolCWarQY';
