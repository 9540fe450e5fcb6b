import { useParams } from '@tanstack/react-router';
import type { ComponentType, ReactNode } from 'react';
import de from '../../../locales/console/de/sign-in.json';
import en from '../../../locales/console/en/sign-in.json';
import { words } from '../app/words.ts';
import { PageHead } from '../shared/page-head.tsx';
import { SubPlaces } from '../shared/sub-places.tsx';

const t = words({ en, de });

export const SIGN_IN_PAGES = [
  'login',
  'password',
  'lockout',
  'factors',
  'tokens',
  'branding',
  'texts',
] as const;

interface FrameProperties {
  readonly title: string;
  readonly lead: ReactNode;
  readonly back?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** What stands around a page that more than one place has. */
export type Frame = ComponentType<FrameProperties>;

/** What all pages about signing in have: where one is among them, and what the page is for. */
export function SignInFrame({ title, lead, back, actions, children }: FrameProperties) {
  const { org = '' } = useParams({ strict: false });
  const start = `/orgs/${org}/sign-in`;
  return (
    <div className="console-page">
      <SubPlaces
        label={t.title}
        places={[
          { path: start, label: t.overview },
          ...SIGN_IN_PAGES.map((page) => ({ path: `${start}/${page}`, label: t[page].nav })),
          { path: `${start}/providers`, label: t.providers },
          { path: `${start}/migration`, label: t.migration },
        ]}
      />
      <PageHead title={title} lead={lead} back={back} actions={actions} />
      {children}
    </div>
  );
}
