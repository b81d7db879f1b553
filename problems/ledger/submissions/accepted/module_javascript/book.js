// The balances of all members and the transfers that failed. No balance exceeds 2^53.
class Book {
  balances = new Map();
  refused = 0;

  balance(name) {
    return this.balances.get(name) ?? 0;
  }

  deposit(name, amount) {
    this.balances.set(name, this.balance(name) + amount);
  }

  transfer(from, to, amount) {
    if (this.balance(from) < amount) {
      this.refused++;
      return;
    }
    this.deposit(from, -amount);
    this.deposit(to, amount);
  }
}

module.exports = { Book };
