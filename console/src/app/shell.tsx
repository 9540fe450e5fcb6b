import { AppShell, Burger, Button, Group, Text, VisuallyHidden } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { lazy, useEffect, useState } from 'react';
import de from '../../../locales/console/de/app.json';
import en from '../../../locales/console/en/app.json';
import { Failure, NotRead, SessionOverNotice } from '../shared/failure.tsx';
import { Icon } from '../shared/icon.tsx';
import { PlaceLink } from '../shared/links.tsx';
import { LoadingPage } from '../shared/loading.tsx';
import { LackNotice } from './lack-notice.tsx';
import { Later } from './later.tsx';
import { useNeedOfNotices } from './notices.ts';
import { OrganizationSwitch } from './organization-switch.tsx';
import { OwnAccount } from './own-account.tsx';
import { loadPalette, loadPaletteAhead, palette, useIsPaletteOpen } from './palette.ts';
import { useMay, useMayInInstance, useMe, useOwnPermissions } from './permissions.ts';
import type { Place } from './place.ts';
import { placeOf, placesOfInstance, placesOfOrganization } from './places.ts';
import { useGoKeys } from './shortcuts.ts';
import { words } from './words.ts';

const t = words({ en, de });
/** What opens over the page comes after it, most of it when it is asked for; the styles are there with the page's. */
const Notices = lazy(async () => ({ default: (await import('@mantine/notifications')).Notifications }));
/** Few come there; it knows the names of all roles. */
const Forbidden = lazy(async () => ({ default: (await import('./forbidden.tsx')).Forbidden }));
const CommandPalette = lazy(async () => ({ default: (await loadPalette()).CommandPalette }));

/** The organization that the address names; the visitor's own where it names none. */
function useOrganizationId(): string {
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  const { data } = useMe();
  return /^\/(?:console\/)?orgs\/([^/]+)/.exec(pathname)?.[1] ?? data?.details.resourceOwner ?? '';
}

/** Side bar, header, and the page between them. */
export function Shell() {
  const [opened, { toggle, close }] = useDisclosure(false);
  const orgId = useOrganizationId();
  const may = useMay(orgId);
  const mayInInstance = useMayInInstance();
  const ofOrganization = placesOfOrganization(orgId).filter(({ permission }) => may(permission));
  const ofInstance = placesOfInstance().filter(({ permission }) => mayInInstance(permission));
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  const navigate = useNavigate();
  useGoKeys([...ofOrganization, ...ofInstance], (path) => void navigate({ to: path }));
  useEffect(close, [pathname, close]);
  const hasNotices = useNeedOfNotices();
  const isPaletteOpen = useIsPaletteOpen();
  const [hasPalette, setPalette] = useState(false);
  useEffect(() => {
    if (isPaletteOpen) setPalette(true);
  }, [isPaletteOpen]);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding={{ base: 'md', sm: 'xl' }}
    >
      <a className="skip-link" href="#content">
        {t.skip}
      </a>
      {/* above the side bar: what it opens hangs over that */}
      <AppShell.Header zIndex={150}>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap" miw={0}>
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={t.nav.menu}
              aria-expanded={opened}
            />
            <OrganizationSwitch orgId={orgId} />
          </Group>
          <Group gap="xs" wrap="nowrap">
            <Button
              className="search-button"
              variant="default"
              size="xs"
              leftSection={<Icon name="search" size={14} />}
              onClick={palette.open}
              onPointerEnter={loadPaletteAhead}
              onFocus={loadPaletteAhead}
              aria-keyshortcuts="/"
            >
              <Text span size="sm" visibleFrom="sm">
                {t.nav.search}
              </Text>
              <VisuallyHidden hiddenFrom="sm">{t.nav.search}</VisuallyHidden>
            </Button>
            <OwnAccount />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label={t.nav.main}>
        <AppShell.Section grow className="nav-scroll">
          <Places heading={t.nav.organization} places={ofOrganization} pathname={pathname} />
          <Places heading={t.nav.instance} places={ofInstance} pathname={pathname} />
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        <LackNotice />
        <SessionOverNotice />
        <Page orgId={orgId} />
      </AppShell.Main>
      {hasNotices && (
        <Later>
          <Notices position="top-right" className="notices" />
        </Later>
      )}
      {hasPalette && (
        <Later failed={<NoPalette />}>
          <CommandPalette orgId={orgId} places={[...ofOrganization, ...ofInstance]} />
        </Later>
      )}
    </AppShell>
  );
}

/** Closed: keys lead to places again, and are not kept for its field. */
function NoPalette() {
  useEffect(() => palette.close(), []);
  return null;
}

/**
 * Where the place of the address, or the page in it, is not the visitor's, nothing of it is drawn or asked for. What is about
 * to be drawn decides, which is not what the address says already: it comes a moment earlier or later.
 */
function Page({ orgId }: { readonly orgId: string }) {
  const { data, isPending, error, refetch } = useOwnPermissions();
  const may = useMay(orgId);
  const mayInInstance = useMayInInstance();
  const pathname = useRouterState({ select: ({ matches }) => matches.at(-1)?.pathname ?? '' });
  const asked = useRouterState({ select: ({ matches }) => matches.at(-1)?.staticData.permission });
  const there = placeOf(placesOfOrganization(orgId), pathname);
  const inInstance = placeOf(placesOfInstance(), pathname);
  if (there === undefined && inInstance === undefined) return <Outlet />;
  if (isPending) return <LoadingPage />;
  // known from before: what was typed and chosen stays, and whoever acts on it is told
  if (error && data === undefined) return <Failure error={error} onRetry={() => void refetch()} />;
  const mayHere = there === undefined ? mayInInstance : may;
  const place = there ?? inInstance;
  // the page first: whoever may open it may open its place
  const lacked = [asked, place?.permission ?? ''].find((one) => one !== undefined && !mayHere(one));
  return lacked === undefined ? (
    <Outlet />
  ) : (
    <Later fallback={<LoadingPage />} failed={<NotRead />}>
      <Forbidden permission={lacked} />
    </Later>
  );
}

interface PlacesProperties {
  readonly heading: string;
  readonly places: readonly Place[];
  readonly pathname: string;
}

function Places({ heading, places, pathname }: PlacesProperties) {
  if (places.length === 0) return null;
  const current = placeOf(places, pathname);
  return (
    <>
      <Text className="nav-heading" component="h2">
        {heading}
      </Text>
      {places.map((place) => (
        <PlaceLink
          key={place.path}
          to={place.path}
          label={place.label}
          active={place === current}
          activeOptions={{ exact: true }}
          {...(place === current && { 'aria-current': 'page' as const })}
        />
      ))}
    </>
  );
}
