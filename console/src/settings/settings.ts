import { answered, api, ifMatch } from '../api/client.ts';
import type { FactorBody, TokenBody } from '../sign-in/policies.ts';

/** What is set for the whole instance. */

export const settingsKey = (name: string) => ['instance', 'settings', name] as const;

function onTopOf(sequence: string | undefined) {
  return sequence === undefined ? {} : { params: { header: ifMatch(sequence) } };
}

export const oidc = {
  find: async () => await answered(api.GET('/admin/v1/settings/oidc')),
  replace: async (body: TokenBody, sequence?: string) =>
    await answered(api.PUT('/admin/v1/settings/oidc', { ...onTopOf(sequence), body })),
};

export const security = {
  find: async () => await answered(api.GET('/admin/v1/settings/security')),
  replace: async (body: { readonly enableImpersonation: boolean }, sequence?: string) =>
    await answered(api.PUT('/admin/v1/settings/security', { ...onTopOf(sequence), body })),
};

export const factors = {
  find: async () => await answered(api.GET('/admin/v1/settings/factors')),
  replace: async (body: FactorBody, sequence?: string) =>
    await answered(api.PUT('/admin/v1/settings/factors', { ...onTopOf(sequence), body })),
};
