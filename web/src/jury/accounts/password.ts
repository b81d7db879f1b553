/** No letters and digits that look alike on paper. */
const letters = 'abcdefghjkmnpqrstuvwxyz23456789';
const LENGTH = 14;

/** Returns a password that a person can type: about 69 random bits. */
export function makePassword(): string {
  const bytes = new Uint8Array(1);
  let password = '';
  while (password.length < LENGTH) {
    crypto.getRandomValues(bytes);
    // Without this, the remainder of 256 would make the first letters more likely.
    const byte = bytes[0] ?? 0;
    if (byte < 256 - (256 % letters.length)) password += letters[byte % letters.length];
  }
  return password;
}
