"""What is asked: templates of tasks, by the apps that they need."""
