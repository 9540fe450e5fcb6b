import { answered, api } from '../api/client.ts';
import type { FactorBody, TokenBody } from '../sign-in/policies.ts';

/** What is set for the whole instance. */

export const settingsKey = (name: string) => ['instance', 'settings', name] as const;

export const oidc = {
  find: async () => await answered(api.GET('/admin/v1/settings/oidc')),
  replace: async (body: TokenBody) => await answered(api.PUT('/admin/v1/settings/oidc', { body })),
};

export const security = {
  find: async () => await answered(api.GET('/admin/v1/settings/security')),
  replace: async (body: { readonly enableImpersonation: boolean }) =>
    await answered(api.PUT('/admin/v1/settings/security', { body })),
};

export const factors = {
  find: async () => await answered(api.GET('/admin/v1/settings/factors')),
  replace: async (body: FactorBody) => await answered(api.PUT('/admin/v1/settings/factors', { body })),
};
