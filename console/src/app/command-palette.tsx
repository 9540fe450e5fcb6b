import { useDebouncedValue } from '@mantine/hooks';
import { Spotlight, type SpotlightActionData } from '@mantine/spotlight';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState, type KeyboardEvent } from 'react';
import de from '../../../locales/console/de/app.json';
import en from '../../../locales/console/en/app.json';
import { Icon } from '../shared/icon.tsx';
import { findUsers, nameOf } from '../users/users.ts';
import { commandsFor, commandsTitle } from './commands.ts';
import { paletteStore, useEarlyText } from './palette.ts';
import { useMay } from './permissions.ts';
import type { Place } from './place.ts';
import { words } from './words.ts';

const t = words({ en, de });

/** Goes to places by their name, to where something is done by what it is, and to users by anything that is known of them. */
export function CommandPalette({
  orgId,
  places,
}: {
  readonly orgId: string;
  readonly places: readonly Place[];
}) {
  const navigate = useNavigate();
  const may = useMay(orgId);
  const [typed, setTyped] = useState('');
  useEarlyText(useCallback((more: string) => setTyped((was) => was + more), []));
  const text = typed.trim();
  const [wanted] = useDebouncedValue(text, 200);
  const mayFind = text.length >= 2 && may('user.read');
  const { data, error } = useQuery({
    queryKey: ['palette', orgId, wanted],
    queryFn: async () => (await findUsers(orgId, { search: wanted, limit: 8 })).result,
    enabled: mayFind && wanted.length >= 2,
  });
  // whoever was found by what was typed before is not among them
  const found = mayFind && wanted === text ? data : undefined;
  const isLooking = mayFind && found === undefined && (wanted !== text || error === null);
  const onKeyDownCapture = useEarlyKeys(isLooking, text);
  const actions: SpotlightActionData[] = places
    .filter(({ label }) => isCalled(label, text))
    .map(({ path, label, key }) => ({
      id: path,
      label,
      ...(key !== undefined && { rightSection: <kbd>g {key}</kbd> }),
      onClick: () => void navigate({ to: path }),
    }));
  const commands: SpotlightActionData[] = commandsFor(may)
    .filter(({ label }) => isCalled(label, text))
    .map(({ name, label, to }) => ({
      id: name,
      label,
      onClick: () => void navigate({ to, params: { org: orgId } }),
    }));
  const people: SpotlightActionData[] = (found ?? []).map((user) => ({
    id: user.id,
    label: nameOf(user),
    description: user.preferredLoginName,
    onClick: () =>
      void navigate({
        to: user.machine === undefined ? '/orgs/$org/users/$user' : '/orgs/$org/service-users/$user',
        params: { org: orgId, user: user.id },
      }),
  }));
  return (
    <Spotlight
      store={paletteStore}
      actions={[
        ...(actions.length > 0 ? [{ group: t.name, actions }] : []),
        ...(commands.length > 0 ? [{ group: commandsTitle, actions: commands }] : []),
        ...(people.length > 0 ? [{ group: t.nav.users, actions: people }] : []),
      ]}
      query={typed}
      onQueryChange={setTyped}
      // what is shown was chosen above
      filter={(_, all) => all}
      shortcut={null}
      scrollable
      highlightQuery
      attributes={{ content: { 'aria-label': t.nav.search } }}
      {...(!isLooking && { nothingFound: t.lost.text })}
      searchProps={{
        leftSection: <Icon name="search" />,
        placeholder: t.nav.search,
        'aria-label': t.nav.search,
        onKeyDownCapture,
      }}
    />
  );
}

/** Whether all words are in its name, in whatever order. */
function isCalled(label: string, text: string): boolean {
  const name = label.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => name.includes(word));
}

/** Keys that were pressed at the end of a list that was not whole yet: they go on when it is. */
function useEarlyKeys(isLooking: boolean, text: string) {
  const early = useRef({ downs: 0, enter: false });
  // they were for what was typed then
  useEffect(() => {
    early.current = { downs: 0, enter: false };
  }, [text]);
  useEffect(() => {
    if (isLooking || text === '') return;
    const { downs, enter } = early.current;
    early.current = { downs: 0, enter: false };
    const { shown, selected } = inList();
    // what is first is chosen, as among places, and a key that was pressed before there was a first means that one
    const next = Math.min(selected < 0 ? Math.max(0, downs - 1) : selected + downs, shown.length - 1);
    if (next < 0) return;
    shown[selected]?.removeAttribute('data-selected');
    shown[next]?.setAttribute('data-selected', 'true');
    shown[next]?.scrollIntoView({ block: 'nearest' });
    paletteStore.setState({ ...paletteStore.getState(), selected: next });
    if (enter) shown[next]?.click();
  }, [isLooking, text]);
  return (event: KeyboardEvent): void => {
    if (!isLooking || event.nativeEvent.isComposing) return;
    const { shown, selected } = inList();
    const waits = early.current.downs > 0 || selected < 0;
    if (event.code === 'ArrowDown' && selected >= shown.length - 1) early.current.downs += 1;
    else if (/^(?:Numpad)?Enter$/.test(event.code) && waits) early.current.enter = true;
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
}

/** What is shown, and which of it is chosen; below 0 for none. Mantine has no way to ask or tell but by the page itself. */
function inList(): { readonly shown: readonly HTMLElement[]; readonly selected: number } {
  const list = document.getElementById(paletteStore.getState().listId);
  const shown = [...(list?.querySelectorAll<HTMLElement>('[data-action]') ?? [])];
  return { shown, selected: shown.findIndex((one) => one.hasAttribute('data-selected')) };
}
