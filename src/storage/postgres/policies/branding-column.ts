/**
 * An organization's branding as one column, `branding`, shaped as `OrganizationBranding`: JSON, so that the driver reads it in
 * one go. The joins are a look-up by primary key; `o` is the organization.
 */
export const BRANDING_COLUMN = `
  json_strip_nulls(json_build_object('name', coalesce(b.display_name, o.name), 'accent', b.accent_color,
    'logo', b.logo_name, 'defaultLanguage', b.default_language, 'helpUrl', b.help_url,
    'privacyUrl', b.privacy_url)) AS branding`;
export const BRANDING_JOIN = 'LEFT JOIN branding_policies b ON b.org_id = o.id';
