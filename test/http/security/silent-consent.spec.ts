import { expect, it } from 'vitest';
import { useApi } from '../../support/api.js';
import { SilentConsent } from '../../support/silent-consent.js';

const api = useApi();

it('S185: no random request, role or application gets a token with more rights than were consented to', async () => {
  const found = await new SilentConsent(api, 20_261_113).run(200);
  expect(found.allowed).toBeGreaterThan(10);
  expect(found.refused).toBeGreaterThan(10);
});
