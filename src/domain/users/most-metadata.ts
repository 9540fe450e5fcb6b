/**
 * Of one user together: userinfo, introspection and lists hold all of it in memory, and so do those who read them. The
 * bytes are those of keys and values.
 */
export const MOST_METADATA = { keys: 200, bytes: 1_000_000 };
