/**
 * The few signs that the console draws, as strokes on 24 by 24. Packages of icons bring thousands: the three that were tried
 * take 50 to 92 MB to install.
 */
const PATHS = {
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM20 20l-4-4',
  plus: 'M12 5v14M5 12h14',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  cross: 'M6 6l12 12M18 6L6 18',
  chevron: 'M8 10l4 4 4-4',
  up: 'M12 19V5M6 11l6-6 6 6',
  down: 'M12 5v14M6 13l6 6 6-6',
  either: 'M8 9l4-4 4 4M8 15l4 4 4-4',
  copy: 'M9 9h10v10H9zM5 15V5h10',
  dots: 'M5 12h.01M12 12h.01M19 12h.01',
  external: 'M14 5h5v5M19 5l-8 8M10 6H5v13h13v-5',
  user: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM5 20c.8-3.6 3.6-5.5 7-5.5s6.2 1.9 7 5.5',
  warning: 'M12 4l9 16H3zM12 10v4M12 17h.01',
} as const;

type IconName = keyof typeof PATHS;

export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={2}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
