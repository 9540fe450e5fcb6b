import { languages as LANGUAGES, type Language } from '../../../src/domain/shared/locale.ts';
import { answered, api, inOrganization, type Answered, type Sent } from '../api/client.ts';

export { LANGUAGES, type Language };

export type Branding = Answered<'/management/v1/policies/branding', 'get'>;
export type BrandingBody = Sent<'/management/v1/policies/branding', 'put'>;

export async function findBranding(org: string): Promise<Branding> {
  return await answered(api.GET('/management/v1/policies/branding', { params: inOrganization(org) }));
}

export async function replaceBranding(org: string, body: BrandingBody, sequence?: string): Promise<unknown> {
  return await answered(
    api.PUT('/management/v1/policies/branding', { params: inOrganization(org, sequence), body }),
  );
}

/** A picture as the API has it, to look at. The first bytes say what it is. */
export function pictureUrl(logo: string): string {
  const type = logo.startsWith('iVBOR') ? 'png' : logo.startsWith('/9j/') ? 'jpeg' : 'webp';
  return `data:image/${type};base64,${logo}`;
}

const names = new Intl.DisplayNames(document.documentElement.lang, { type: 'language' });

export function languageName(language: string): string {
  return names.of(language) ?? language;
}
