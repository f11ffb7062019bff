"""Recovery without doing anything twice: answers that are lost, and what somebody else has half done."""
