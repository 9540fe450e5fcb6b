/**
 * A lock that many share or one has for itself: who wants it exclusively waits until the others are through, and nobody
 * else begins before that one has ended.
 */
export class SharedExclusiveLock {
  private inside = 0;
  private exclusiveInside = false;
  private readonly waiting: { readonly exclusive: boolean; readonly begin: () => void }[] = [];

  async run<T>(exclusive: boolean, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((begin) => {
      this.waiting.push({ exclusive, begin });
      this.admit();
    });
    try {
      return await work();
    } finally {
      this.inside -= 1;
      this.exclusiveInside = false;
      this.admit();
    }
  }

  private admit(): void {
    for (let next = this.waiting[0]; next !== undefined; next = this.waiting[0]) {
      if (this.exclusiveInside || (next.exclusive && this.inside > 0)) return;
      this.waiting.shift();
      this.inside += 1;
      this.exclusiveInside = next.exclusive;
      next.begin();
    }
  }
}
