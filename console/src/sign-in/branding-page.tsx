import {
  Button,
  FileButton,
  Group,
  Input,
  Paper,
  SegmentedControl,
  Select,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import type { FormErrors, UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import de from '../../../locales/console/de/sign-in.json';
import en from '../../../locales/console/en/sign-in.json';
import { ACCENT_COLOR, LARGEST_LOGO_BYTES } from '../../../src/domain/policies/policy-limits.ts';
import { contrast, lightColours, textOn, withAccent } from '../../../src/rendering/design-tokens.ts';
import { useOrganizationName } from '../app/organization-name.ts';
import { useMay } from '../app/permissions.ts';
import { say, words } from '../app/words.ts';
import { useAct } from '../shared/act.ts';
import { Confirm } from '../shared/confirm.tsx';
import { Unread } from '../shared/found.tsx';
import { LoadingRows } from '../shared/loading.tsx';
import { Facts, Section } from '../shared/section.tsx';
import { SettingsForm } from '../shared/settings-form.tsx';
import {
  findBranding,
  languageName,
  LANGUAGES,
  pictureUrl,
  replaceBranding,
  type Branding,
  type BrandingBody,
  type Language,
} from './branding.ts';
import { MailPreview } from './mail-preview.tsx';
import { PagePreview, type Look } from './page-preview.tsx';
import { loginPolicy, policyKey } from './policies.ts';
import { sampleMail } from './sample-mail.ts';
import { SchemeSwitch, usePreviewScheme } from './scheme-switch.tsx';
import { SignInFrame } from './sign-in-frame.tsx';

const t = words({ en, de });
const LOGO_TYPES = ['image/png', 'image/jpeg', 'image/webp'];

interface Values extends Record<string, unknown> {
  readonly displayName: string;
  readonly accentColor: string;
  /** In base64. */
  readonly logo: string;
  readonly defaultLanguage: Language | null;
  readonly helpUrl: string;
  readonly privacyUrl: string;
}

function valuesOf({ policy }: Branding): Values {
  return {
    displayName: policy.displayName ?? '',
    accentColor: policy.accentColor ?? '',
    logo: policy.logo ?? '',
    defaultLanguage: LANGUAGES.find((one) => one === policy.defaultLanguage) ?? null,
    helpUrl: policy.helpUrl ?? '',
    privacyUrl: policy.privacyUrl ?? '',
  };
}

/** `2b50d9` and `#25d` as they are meant. */
function completed(typed: string): string {
  const digits = typed.trim().replace(/^#/, '').toLowerCase();
  const short = /^[0-9a-f]{3}$/.test(digits);
  const full = short ? digits.replace(/./g, '$&$&') : digits;
  return /^[0-9a-f]{6}$/.test(full) ? `#${full}` : typed.trim();
}

/** What is left empty is given up. */
function bodyOf({ defaultLanguage, ...values }: Values): BrandingBody {
  return {
    ...Object.fromEntries(
      Object.entries(values)
        .map(([name, value]) => [name, String(value).trim()] as const)
        .filter(([, value]) => value !== ''),
    ),
    ...(defaultLanguage !== null && { defaultLanguage }),
  };
}

function errorsOf({ accentColor, helpUrl, privacyUrl }: Values): FormErrors {
  const address = (value: string): string | null =>
    value.trim() === '' || (value.trim().startsWith('https://') && URL.canParse(value.trim()))
      ? null
      : t.branding.urlFormat;
  return {
    accentColor: accentColor === '' || ACCENT_COLOR.test(accentColor) ? null : t.branding.colourFormat,
    helpUrl: address(helpUrl),
    privacyUrl: address(privacyUrl),
  };
}

/** What pages and mails look like, as one changes it. */
export function BrandingPage() {
  const { org = '' } = useParams({ strict: false });
  const may = useMay(org);
  const key = policyKey(org, 'branding');
  const found = useQuery({ queryKey: key, queryFn: async () => await findBranding(org) });
  const login = useQuery({
    queryKey: policyKey(org, loginPolicy.name),
    queryFn: async () => await loginPolicy.find(org),
  });
  const orgName = useOrganizationName(org) ?? '';
  const hasRegistration = login.data?.policy.allowRegister === true;
  const branding = found.data;
  const mayChange = may('policy.write');
  const reset = useAct({
    call: async () => await replaceBranding(org, {}, branding?.details.sequence),
    stale: [key],
    done: t.branding.resetDone,
  });
  const isOwn = branding !== undefined && Object.keys(branding.policy).length > 0;
  return (
    <SignInFrame
      title={t.branding.title}
      lead={t.branding.lead}
      actions={
        isOwn &&
        mayChange && (
          <Confirm
            label={t.branding.reset}
            title={t.branding.reset}
            text={t.branding.resetText}
            isWorking={reset.isPending}
            onConfirm={() => reset.mutate()}
          />
        )
      }
    >
      <Unread found={found} />
      {branding === undefined && !found.error && <LoadingRows rows={6} />}
      {branding !== undefined &&
        (mayChange ? (
          <SettingsForm<Values>
            name={key.join('.')}
            initial={valuesOf(branding)}
            validate={errorsOf}
            sequence={branding.details.sequence}
            save={async (values, sequence) => await replaceBranding(org, bodyOf(values), sequence)}
            stale={[key]}
            done={t.branding.saved}
            bare
          >
            {(form) => (
              <div className="beside">
                <Paper p={{ base: 'md', sm: 'lg' }}>
                  <Stack gap="lg">
                    <Fields form={form} orgName={orgName} />
                  </Stack>
                </Paper>
                <LookPreview look={lookOf(form.values, orgName)} hasRegistration={hasRegistration} />
              </div>
            )}
          </SettingsForm>
        ) : (
          <div className="beside">
            <Section title={t.branding.title}>
              <Facts facts={factsOf(valuesOf(branding), orgName)} />
            </Section>
            <LookPreview look={lookOf(valuesOf(branding), orgName)} hasRegistration={hasRegistration} />
          </div>
        ))}
    </SignInFrame>
  );
}

function factsOf(values: Values, orgName: string): readonly (readonly [string, string])[] {
  const { defaultLanguage } = values;
  return [
    [t.branding.displayName, values.displayName || orgName],
    [t.branding.accentColor, values.accentColor || lightColours.accent],
    [t.branding.defaultLanguage, languageName(defaultLanguage ?? 'en')],
    [t.branding.helpUrl, values.helpUrl],
    [t.branding.privacyUrl, values.privacyUrl],
  ];
}

function lookOf({ displayName, accentColor, logo, helpUrl, privacyUrl }: Values, orgName: string): Look {
  return {
    name: displayName.trim() === '' ? orgName : displayName,
    accent: ACCENT_COLOR.test(accentColor) ? accentColor : undefined,
    logoUrl: logo === '' ? undefined : pictureUrl(logo),
    helpUrl,
    privacyUrl,
  };
}

interface FieldsProperties {
  readonly form: UseFormReturnType<Values>;
  readonly orgName: string;
}

function Fields({ form, orgName }: FieldsProperties) {
  const { accentColor } = form.values;
  return (
    <>
      <TextInput
        label={t.branding.displayName}
        description={t.branding.help.displayName}
        placeholder={orgName}
        maxLength={200}
        {...form.getInputProps('displayName')}
      />
      <div>
        <TextInput
          label={t.branding.accentColor}
          description={t.branding.help.accentColor}
          placeholder={say('{source}: {value}', { source: t.sources.service, value: lightColours.accent })}
          leftSection={
            <input
              type="color"
              className="colour"
              aria-label={t.branding.pickColour}
              value={ACCENT_COLOR.test(accentColor) ? accentColor : lightColours.accent}
              onChange={({ currentTarget }) => form.setFieldValue('accentColor', currentTarget.value)}
            />
          }
          leftSectionPointerEvents="all"
          leftSectionWidth={44}
          autoComplete="off"
          spellCheck={false}
          styles={{ wrapper: { maxWidth: 280 } }}
          {...form.getInputProps('accentColor')}
          onBlur={() => {
            form.setFieldValue('accentColor', completed(accentColor));
            form.clearFieldError('accentColor');
          }}
        />
        <Contrast accent={ACCENT_COLOR.test(accentColor) ? accentColor : undefined} />
      </div>
      <LogoField form={form} />
      <Select
        label={t.branding.defaultLanguage}
        description={t.branding.help.defaultLanguage}
        placeholder={say('{source}: {value}', { source: t.sources.service, value: languageName('en') })}
        data={LANGUAGES.map((value) => ({ value, label: languageName(value) }))}
        clearable
        styles={{ wrapper: { maxWidth: 280 } }}
        {...form.getInputProps('defaultLanguage')}
      />
      <TextInput
        label={t.branding.helpUrl}
        description={t.branding.help.helpUrl}
        type="url"
        placeholder="https://"
        maxLength={2048}
        {...form.getInputProps('helpUrl')}
      />
      <TextInput
        label={t.branding.privacyUrl}
        description={t.branding.help.privacyUrl}
        type="url"
        placeholder="https://"
        maxLength={2048}
        {...form.getInputProps('privacyUrl')}
      />
    </>
  );
}

/** Against a ground a button is still found (WCAG 2.2, 1.4.11). */
const FOUND = 3;

function ratio(one: string, other: string): string {
  return contrast(one, other).toFixed(1);
}

/** What becomes of a colour, before anybody sees it on a page: the same functions decide it there. */
function Contrast({ accent }: { readonly accent: string | undefined }) {
  if (accent === undefined) return null;
  const { light, dark } = withAccent(accent);
  const over = textOn(accent);
  const isAsIs = light.accentText === accent && dark.accentText === accent;
  const faint = [
    contrast(accent, light.surface) < FOUND &&
      say(t.branding.contrast.faintLight, { ratio: ratio(accent, light.surface) }),
    contrast(accent, dark.surface) < FOUND &&
      say(t.branding.contrast.faintDark, { ratio: ratio(accent, dark.surface) }),
  ].filter((line) => line !== false);
  return (
    <Group gap="sm" mt="xs" wrap="nowrap" align="flex-start">
      <span className="on-accent" style={{ background: accent, color: over }} aria-hidden="true">
        Aa
      </span>
      <Stack gap={2} role="status">
        <Text size="sm">
          {say(over === '#ffffff' ? t.branding.contrast.white : t.branding.contrast.black, {
            ratio: ratio(over, accent),
          })}{' '}
          {isAsIs
            ? t.branding.contrast.asIs
            : say(t.branding.contrast.adjusted, { light: light.accentText, dark: dark.accentText })}
        </Text>
        {faint.map((line) => (
          <Text key={line} size="sm" c="var(--warning)">
            {line}
          </Text>
        ))}
      </Stack>
    </Group>
  );
}

function LogoField({ form }: { readonly form: UseFormReturnType<Values> }) {
  const { logo } = form.values;
  async function choose(file: File | null): Promise<void> {
    if (file === null) return;
    if (!LOGO_TYPES.includes(file.type)) return form.setFieldError('logo', t.branding.logoType);
    if (file.size > LARGEST_LOGO_BYTES) {
      const size = Math.ceil(file.size / 1024);
      return form.setFieldError('logo', say(t.branding.logoSize, { size }));
    }
    form.setFieldValue('logo', base64(await file.arrayBuffer()));
  }
  return (
    <Input.Wrapper
      label={t.branding.logo}
      description={t.branding.help.logo}
      error={form.errors['logo']}
      labelElement="div"
    >
      <Group gap="xs" mt={6}>
        {logo !== '' && <img className="logo" src={pictureUrl(logo)} alt={t.branding.logoAlt} />}
        <FileButton accept={LOGO_TYPES.join(',')} onChange={(file) => void choose(file)}>
          {(properties) => (
            <Button variant="default" size="xs" {...properties}>
              {logo === '' ? t.branding.chooseLogo : t.branding.otherLogo}
            </Button>
          )}
        </FileButton>
        {logo !== '' && (
          <Button variant="subtle" size="xs" color="red" onClick={() => form.setFieldValue('logo', '')}>
            {t.branding.removeLogo}
          </Button>
        )}
      </Group>
    </Input.Wrapper>
  );
}

function base64(content: ArrayBuffer): string {
  return btoa(Array.from(new Uint8Array(content), (byte) => String.fromCharCode(byte)).join(''));
}

interface LookPreviewProperties {
  readonly look: Look;
  readonly hasRegistration: boolean;
}

function LookPreview({ look, hasRegistration }: LookPreviewProperties) {
  const [what, setWhat] = useState<'page' | 'mail'>('page');
  const [scheme, setScheme] = usePreviewScheme();
  const { name, accent, logoUrl } = look;
  const mail = useMemo(
    () => (what === 'mail' ? sampleMail({ name, accent, logoUrl, helpUrl: '', privacyUrl: '' }) : undefined),
    [what, name, accent, logoUrl],
  );
  return (
    <section aria-label={t.branding.preview.title} className="beside-fixed">
      <Group justify="space-between" mb="sm" gap="xs">
        <Title order={2} size="h4">
          {t.branding.preview.title}
        </Title>
        <Group gap="xs">
          <SegmentedControl<'page' | 'mail'>
            size="xs"
            aria-label={t.branding.preview.what}
            value={what}
            onChange={setWhat}
            data={[
              { value: 'page', label: t.branding.preview.page },
              { value: 'mail', label: t.branding.preview.mail },
            ]}
          />
          <SchemeSwitch scheme={scheme} onChange={setScheme} />
        </Group>
      </Group>
      {mail === undefined ? (
        <PagePreview
          label={t.branding.preview.pageLabel}
          application={t.branding.preview.application}
          look={look}
          scheme={scheme}
          hasRegistration={hasRegistration}
        />
      ) : (
        <MailPreview
          label={t.branding.preview.mailLabel}
          html={mail.html}
          scheme={scheme}
          {...(logoUrl !== undefined && { logoUrl })}
        />
      )}
    </section>
  );
}
