import { Paper, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import de from '../../../locales/console/de/sign-in.json';
import en from '../../../locales/console/en/sign-in.json';
import { say, words } from '../app/words.ts';
import { AppLink } from '../shared/links.tsx';
import { State } from '../shared/state.tsx';
import { findBranding } from './branding.ts';
import {
  factorPolicy,
  lockoutPolicy,
  loginPolicy,
  passwordPolicy,
  policyKey,
  tokenPolicy,
  type PolicyKind,
} from './policies.ts';
import { SignInFrame, type SIGN_IN_PAGES } from './sign-in-frame.tsx';
import { textsOfOrganization } from './texts.ts';

const t = words({ en, de });

/** How people sign in here, at a glance: what holds, and who decided it. */
export function SignInPage() {
  const { org = '' } = useParams({ strict: false });
  return (
    <SignInFrame title={t.title} lead={t.lead}>
      <Paper component="ul" className="overview" aria-label={t.title}>
        <PolicyRow org={org} kind={loginPolicy} />
        <PolicyRow org={org} kind={passwordPolicy} />
        <PolicyRow org={org} kind={lockoutPolicy} />
        <PolicyRow org={org} kind={factorPolicy} />
        <PolicyRow org={org} kind={tokenPolicy} />
        <BrandingRow org={org} />
        <TextsRow org={org} />
      </Paper>
    </SignInFrame>
  );
}

interface RowProperties {
  readonly org: string;
  readonly page: (typeof SIGN_IN_PAGES)[number];
  readonly title: string;
  readonly summary: ReactNode;
  readonly state: ReactNode;
}

function Row({ org, page, title, summary, state }: RowProperties) {
  return (
    <li>
      <div>
        <AppLink className="row-link" to={`/orgs/$org/sign-in/${page}`} params={{ org }}>
          {title}
        </AppLink>
        <Text size="sm" c="dimmed" component="div">
          {summary ?? <Skeleton height={14} width={240} my={4} />}
        </Text>
      </div>
      {state}
    </li>
  );
}

function PolicyRow<Policy, Body>({
  org,
  kind,
}: {
  readonly org: string;
  readonly kind: PolicyKind<Policy, Body>;
}) {
  const { data, error } = useQuery({
    queryKey: policyKey(org, kind.name),
    queryFn: async () => await kind.find(org),
  });
  return (
    <Row
      org={org}
      page={kind.name}
      title={t[kind.name].title}
      summary={error ? t.unknown : data && kind.summary(data.policy)}
      state={
        data && (
          <State
            tone={data.isDefault ? 'quiet' : 'good'}
            label={data.isDefault ? kind.source : t.origin.own}
          />
        )
      }
    />
  );
}

function BrandingRow({ org }: { readonly org: string }) {
  const { data, error } = useQuery({
    queryKey: policyKey(org, 'branding'),
    queryFn: async () => await findBranding(org),
  });
  const isOwn = data !== undefined && Object.keys(data.policy).length > 0;
  return (
    <Row
      org={org}
      page="branding"
      title={t.branding.title}
      summary={error ? t.unknown : data && (isOwn ? t.branding.summaryOwn : t.branding.summaryDefault)}
      state={
        data && <State tone={isOwn ? 'good' : 'quiet'} label={isOwn ? t.origin.own : t.sources.service} />
      }
    />
  );
}

function TextsRow({ org }: { readonly org: string }) {
  const { key, list } = textsOfOrganization(org);
  const { data, error } = useQuery({ queryKey: key, queryFn: list });
  const count = data?.length ?? 0;
  return (
    <Row
      org={org}
      page="texts"
      title={t.texts.title}
      summary={error ? t.unknown : data && say(t.texts.summary, { count })}
      state={
        data && (
          <State tone={count > 0 ? 'good' : 'quiet'} label={count > 0 ? t.origin.own : t.sources.service} />
        )
      }
    />
  );
}
